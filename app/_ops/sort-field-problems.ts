import type { FieldProblem } from './use-problem';

/** The problems of an input as text: by field, and the rest for the whole form. */
export interface FieldProblems<Field extends string> {
  fields: Partial<Record<Field, string>>;
  rest: string | undefined;
}

/** Assigns the problems of a rejected input to the fields of a form, by the field names of the procedures. */
export function sortFieldProblems<Field extends string>(
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
