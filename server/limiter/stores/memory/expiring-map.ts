/** Values stay 60 s longer than needed, because the clock of a caller may be slower. The values themselves decide. */
const EXPIRY_SLACK_MS = 60_000;

/** The smallest number of values at which expired ones are searched. */
const MIN_SWEPT = 1_024;

/** Values by key that expire by a clock in epoch ms. */
export class ExpiringMap<Value> {
  readonly #clock: () => number;
  readonly #entries = new Map<string, { value: Value; expiresAt: number }>();
  #sweepAt = MIN_SWEPT;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > this.#clock() ? entry.value : undefined;
  }

  /** Returns how long the value of a key is needed; 0 without one. */
  ttlOf(key: string): number {
    const { expiresAt = 0 } = this.#entries.get(key) ?? {};
    return Math.max(0, expiresAt - EXPIRY_SLACK_MS - this.#clock());
  }

  /** Sets a value that is needed for `ttlMs`. Without, the value keeps the expiry of the former. */
  set(key: string, value: Value, ttlMs?: number): void {
    const former = this.#entries.get(key);
    if (ttlMs === undefined && former) former.value = value;
    else this.#entries.set(key, { value, expiresAt: this.#clock() + (ttlMs ?? 0) + EXPIRY_SLACK_MS });
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
  }

  /** Returns false if there is no such value. */
  delete(key: string): boolean {
    const isThere = this.get(key) !== undefined;
    this.#entries.delete(key);
    return isThere;
  }

  /** Deletes expired values. The next sweep is at twice the size, so a write costs the same whatever the size is. */
  #sweep(): void {
    const now = this.#clock();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    this.#sweepAt = Math.max(MIN_SWEPT, 2 * this.#entries.size);
  }
}
