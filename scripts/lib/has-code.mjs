/**
 * Returns true for a system error with this code, such as `ENOENT`.
 *
 * @param {unknown} error
 * @param {string} code
 */
export function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
