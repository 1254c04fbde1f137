const SPACE = 0x20;
const ZERO = 0x30;

/** Reads a line of a reply of decide.lua: whole numbers separated by single spaces. */
export class ReplyReader {
  readonly #reply: string;
  #position = 0;

  constructor(reply: string) {
    this.#reply = reply;
  }

  /** Returns the next number. Throws if there is none. */
  next(): number {
    const reply = this.#reply;
    const start = this.#position;
    let number = 0;
    for (; this.#position < reply.length; this.#position += 1) {
      const code = reply.charCodeAt(this.#position);
      if (code === SPACE) break;
      const digit = code - ZERO;
      if (digit < 0 || digit > 9) throw new TypeError(`decide.lua replied ${JSON.stringify(reply)}`);
      number = number * 10 + digit;
    }
    if (this.#position === start) throw new TypeError(`decide.lua replied too few numbers: ${reply}`);
    this.#position += 1;
    return number;
  }

  /** Throws if there are more numbers. */
  end(): void {
    if (this.#position <= this.#reply.length)
      throw new TypeError(`decide.lua replied too many numbers: ${this.#reply}`);
  }
}
