/**
 * The check of the workflow that publishes the package: the tag and the packed manifest must have one version, and the
 * manifest must name the repository that runs the workflow, because npm refuses the provenance of any other. The changelog
 * must have the date of the version. Writes the dist-tag of the release for the next step: `next` for a prerelease.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { releaseOf } from './lib/release';

const { GITHUB_REF_NAME: tag = '', GITHUB_REPOSITORY: repository = '', GITHUB_OUTPUT } = process.env;
const manifest = JSON.parse(readFileSync('dist/package/package.json', 'utf8'));
const changelog = readFileSync('dist/package/CHANGELOG.md', 'utf8');
const { distTag } = releaseOf(manifest, { tag, repository, changelog });
if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `dist-tag=${distTag}\n`);
console.log(`${manifest.name}@${manifest.version} as ${distTag}`);
