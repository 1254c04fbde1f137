/**
 * Returns the arguments with which Node checks the types of a project.
 *
 * @param {string} [project]  Default: the server and the pages without tests.
 * @returns {string[]}
 */
export function typeCheckArgs(project = 'tsconfig.build.json') {
  return ['node_modules/typescript-7/bin/tsc', '--noEmit', '--project', project];
}
