/** The sections of the lab, in the order of their links. The first is the default. */
export const sections = ['compare', 'mistakes', 'storage', 'ladder', 'layers', 'fairness'] as const;

export type Section = (typeof sections)[number];
