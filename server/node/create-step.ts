/** Runs one step of the start. */
export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates a function that runs a step and reports its name and duration in ms. */
export function createStep(onStep: (name: string, ms: number) => void): Step {
  return async function step(name, work) {
    const startedAt = performance.now();
    const result = await work();
    onStep(name, Math.round(performance.now() - startedAt));
    return result;
  };
}
