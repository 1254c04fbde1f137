/**
 * Arguments for Node that check the types of a project.
 *
 * @param {string} [project]  Default: everything in the build, which is the server and the pages without their tests.
 * @returns {string[]}
 */
export function typeCheckArgs(project = 'tsconfig.build.json') {
  return ['node_modules/typescript-7/bin/tsc', '--noEmit', '--project', project];
}
