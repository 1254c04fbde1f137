/** What a server found wrong with an input: by field where it named one of them, the rest for the whole form. */
export interface FieldProblems<Field extends string> {
  fields: Partial<Record<Field, string>>;
  rest: string | undefined;
}

/**
 * Sorts the message of a rejected input: `field: problem; field: problem`, as all procedures say it. The limiter says
 * `Policy "name": level.field is value. What to do.`, and what to do is what stands next to the field.
 */
export function fieldProblems<Field extends string>(
  message: string,
  names: readonly Field[],
): FieldProblems<Field> {
  const fields: Partial<Record<Field, string>> = {};
  const rest: string[] = [];
  for (const part of message.split('; ')) {
    const [, path = '', problem = ''] = /^([\w.]+): (.*)$/s.exec(part) ?? [];
    const named = names.find((name) => path === name || path.startsWith(`${name}.`));
    const [, mention = '', advice = ''] = /^Policy ".*": [\w+-]+\.(\w+) is .*?\. (.*)$/s.exec(part) ?? [];
    const mentioned = names.find((name) => name === mention);
    if (named) fields[named] = fields[named] ? `${fields[named]}; ${problem}` : problem;
    else if (mentioned) fields[mentioned] = advice;
    else rest.push(part);
  }
  return { fields, rest: rest.length > 0 ? rest.join('; ') : undefined };
}
