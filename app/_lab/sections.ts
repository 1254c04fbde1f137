/** The parts of the lab, in the order of their links. The first is what an address without a part means. */
export const sections = ['compare', 'mistakes', 'storage', 'ladder', 'layers'] as const;
export type Section = (typeof sections)[number];

/** Which part an address names. */
export function sectionOf(name: unknown): Section {
  return sections.find((section) => section === name) ?? sections[0];
}
