import { StepError } from './steps.mjs';

/** Returns the dist-tag of a release. Throws if its tag or its repository is not that of the manifest. */
export function releaseOf(
  { version, repository: { url } }: { version: string; repository: { url: string } },
  { tag, repository }: { tag: string; repository: string },
): { distTag: 'latest' | 'next' } {
  if (tag !== `v${version}`) {
    const hint = 'Change the version in package.json, or push another tag.';
    throw new StepError(`The tag ${tag} is not v${version}, the version of the package.`, { hint });
  }
  if (url !== `git+https://github.com/${repository}.git`) {
    const hint = 'Change `repository` in server/limiter/package.json, and the links of its README.';
    throw new StepError(`The package names ${url}, and ${repository} publishes it.`, { hint });
  }
  return { distTag: version.includes('-') ? 'next' : 'latest' };
}
