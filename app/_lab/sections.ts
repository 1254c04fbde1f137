/** The sections of the lab, in the order of their links. The first is the default. */
export const sections = ['compare', 'mistakes', 'storage', 'ladder', 'layers'] as const;
export type Section = (typeof sections)[number];

/** Parses the section of a URL. */
export function parseSection(name: unknown): Section {
  return sections.find((section) => section === name) ?? sections[0];
}
