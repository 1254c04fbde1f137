import type { FieldProblem } from './use-problem';

/** What a server found wrong with an input, in words: by field where it named one of a form's, the rest for all of it. */
export interface FieldProblems<Field extends string> {
  fields: Partial<Record<Field, string>>;
  rest: string | undefined;
}

/** Sorts what is wrong with a rejected input to the fields of a form, by the names that the procedures give them. */
export function fieldProblems<Field extends string>(
  { message, ofFields }: { message: string; ofFields?: FieldProblem[] | undefined },
  { names, words }: { names: readonly Field[]; words: (problem: FieldProblem) => string },
): FieldProblems<Field> {
  if (!ofFields) return { fields: {}, rest: message };
  const fields: Partial<Record<Field, string>> = {};
  const rest: string[] = [];
  for (const problem of ofFields) {
    const name = names.find((one) => problem.field === one || problem.field.startsWith(`${one}.`));
    if (name) fields[name] = [fields[name] ?? [], words(problem)].flat().join(' ');
    else rest.push(words(problem));
  }
  return { fields, rest: rest.length > 0 ? rest.join(' ') : undefined };
}
