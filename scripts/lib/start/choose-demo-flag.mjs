/**
 * Returns the value of FLOODGATE_DEMO for `npm start`. The demo is the default only if `npm start` started both databases,
 * which then hold no other data, and if no public origin is set.
 *
 * @param {Record<string, string | undefined>} given  The environment of this process. An empty value counts as unset.
 * @param {{ ownDatabases: boolean }} options  `ownDatabases`: true if `npm start` started both databases.
 * @returns {string | undefined}
 */
export function chooseDemoFlag({ FLOODGATE_DEMO, PUBLIC_ORIGIN }, { ownDatabases }) {
  return FLOODGATE_DEMO || (ownDatabases && !PUBLIC_ORIGIN ? '1' : undefined);
}
