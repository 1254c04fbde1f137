/** @param {Request} req */
export function POST(req) {
  return Reflect.get(globalThis, 'answerBenchCall')(req);
}
