/**
 * Whether `npm start` serves the demo, as the value of FLOODGATE_DEMO. A demo is the default only where nobody else's data
 * is in its databases and where no public origin makes it a site for real shoppers.
 *
 * @param {Record<string, string | undefined>} given  Our own environment; an empty value counts as none.
 * @param {{ ownDatabases: boolean }} options  Whether both databases were started here.
 * @returns {string | undefined}
 */
export function chooseDemoFlag({ FLOODGATE_DEMO, PUBLIC_ORIGIN }, { ownDatabases }) {
  return FLOODGATE_DEMO || (ownDatabases && !PUBLIC_ORIGIN ? '1' : undefined);
}
