import { StepError } from './steps.mjs';

interface Release {
  tag: string;
  /** The repository that runs the workflow, such as `owner/name`. */
  repository: string;
  /** The text of the changelog of the package. */
  changelog: string;
}

/**
 * Returns the dist-tag of a release. Throws if its tag or its repository is not that of the manifest, or the changelog has no
 * date for its version.
 */
export function releaseOf(
  { version, repository: { url } }: { version: string; repository: { url: string } },
  { tag, repository, changelog }: Release,
): { distTag: 'latest' | 'next' } {
  if (tag !== `v${version}`) {
    const hint = 'Change the version in package.json, or push another tag.';
    throw new StepError(`The tag ${tag} is not v${version}, the version of the package.`, { hint });
  }
  if (url !== `git+https://github.com/${repository}.git`) {
    const hint = 'Change `repository` in server/limiter/package.json, and the links of its README.';
    throw new StepError(`The package names ${url}, and ${repository} publishes it.`, { hint });
  }
  if (
    !new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(changelog)
  ) {
    const hint = `Add the date to its section in server/limiter/CHANGELOG.md: ## [${version}] - YYYY-MM-DD`;
    throw new StepError(`The changelog of the package has no date for ${version}.`, { hint });
  }
  return { distTag: version.includes('-') ? 'next' : 'latest' };
}
