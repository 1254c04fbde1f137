interface NamedLevels {
  readonly levels: readonly { readonly level: string }[];
}

/** Returns the subjects of a call with one subject at every level except `global`. */
export function sameSubject({ levels }: NamedLevels, subject: string): Record<string, string> {
  return Object.fromEntries(levels.map(({ level }) => [level, level === 'global' ? '' : subject]));
}

/** Returns the subjects of a call, given in the order of the levels. */
export function subjectsInOrder(
  { levels }: NamedLevels,
  subjects: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(levels.map(({ level }, index) => [level, subjects[index]]));
}
