/**
 * Returns the procedures in demo mode only. Otherwise the router gets none, and their paths answer 404. The type is the
 * same in both modes, because one client is compiled for both. So outside demo mode the type promises too much.
 */
export function onlyInDemo<Procedures extends object>(demo: boolean, procedures: Procedures): Procedures {
  return demo ? procedures : ({} as Procedures);
}
