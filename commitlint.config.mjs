/** The rules of a commit subject in CONTRIBUTING.md. Merge commits are not checked. */
export default {
  rules: {
    'header-max-length': [2, 'always', 60],
    'type-empty': [2, 'never'],
    'type-enum': [
      2,
      'always',
      ['feat', 'fix', 'perf', 'refactor', 'test', 'docs', 'build', 'style', 'chore'],
    ],
    'subject-empty': [2, 'never'],
    'subject-full-stop': [2, 'never', '.'],
  },
};
