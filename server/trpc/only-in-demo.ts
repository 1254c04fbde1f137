/**
 * Procedures that exist in demo mode only: elsewhere a router gets none of them and their paths answer 404.
 * Their type is the same either way, because one client is compiled for both; this is the one place where the type
 * promises more than there is.
 */
export function onlyInDemo<Procedures extends object>(demo: boolean, procedures: Procedures): Procedures {
  return demo ? procedures : ({} as Procedures);
}
