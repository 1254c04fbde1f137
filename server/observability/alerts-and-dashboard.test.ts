import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findPromtool, programEnv } from '../../scripts/lib/tools.mjs';
import { readEnv } from '../env';
import { createLimiter } from '../limiter/index';
import { memoryStore } from '../limiter/stores';
import { root } from '../paths';
import { createMetrics } from './metrics';

const prometheusDir = join(root, 'deploy/prometheus');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const rules = read('deploy/prometheus/rules.yml');
const dashboard = z
  .object({
    panels: z.array(
      z.object({
        id: z.number(),
        type: z.string(),
        title: z.string().min(1),
        description: z.string().min(1),
        targets: z.array(z.object({ expr: z.string(), datasource: z.object({ uid: z.string() }) })).min(1),
        fieldConfig: z.object({ defaults: z.object({ unit: z.string().optional() }) }),
      }),
    ),
  })
  .parse(JSON.parse(read('deploy/grafana/dashboards/floodgate.json')));
const alerts = valuesOf('alert');

/** Returns the metrics of a node. */
function nodeMetrics() {
  const metrics = createMetrics();
  metrics.observeLimiter(
    createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' }),
  );
  return metrics;
}

/** Returns the names of all exported metrics, with the three series of each histogram. */
async function exportedNames(): Promise<Set<string>> {
  const types = [...(await nodeMetrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    ),
  );
}

describe.each([
  ['alert rules', expressionsOf(rules)],
  ['dashboard', dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))],
])('%s', (_where, expressions) => {
  test('use only metrics that a node exports', async () => {
    const names = expressions.flatMap((text) => text.match(/\b(?:floodgate|nodejs|process)_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(5);
    const exported = await exportedNames();
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  test('use only series that a rule records', () => {
    const recorded = valuesOf('record');
    const names = expressions.flatMap((text) => text.match(/\b[a-z]+:[\w:]+/g) ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !recorded.includes(name))).toEqual([]);
  });
});

test('each panel has a unique id, and a unit if it draws numbers', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const unitless = panels.filter(({ type, fieldConfig }) => type !== 'table' && !fieldConfig.defaults.unit);
  expect(unitless.map(({ title }) => title)).toEqual([]);
});

test('the dashboard uses the provisioned data source', () => {
  const uid = /uid: (\S+)/.exec(read('deploy/grafana/provisioning/datasources/prometheus.yml'))?.[1];
  const sources = dashboard.panels.flatMap(({ targets }) => targets.map(({ datasource }) => datasource.uid));
  expect(new Set(sources)).toEqual(new Set([uid]));
});

test.each(alerts)('%s: the runbook has its section, and a test has its condition', (alert) => {
  expect(rules).toContain(`runbook: docs/runbook.md#${alert.toLowerCase()}\n`);
  expect(read('docs/runbook.md')).toMatch(new RegExp(`^### ${alert}$`, 'm'));
  expect(read('deploy/prometheus/rules.test.yml')).toMatch(
    new RegExp(`alertname: ${alert}\\n +exp_alerts:`, 'm'),
  );
});

// `npm test` provides promtool on Debian. Elsewhere the names are checked above all the same.
const promtool = findPromtool();
if (promtool) {
  const check = (args: string[], input = '') => {
    const env = programEnv(promtool.libraryPath);
    return spawnSync(promtool.binary, args, { cwd: prometheusDir, env, input, encoding: 'utf8' });
  };

  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'rules.yml'],
    ['test', 'rules', 'rules.test.yml'],
  ])('promtool %s %s %s reports no error', (...args) => {
    const { status, stdout, stderr } = check(args);
    expect({ args, status, output: status === 0 ? '' : stdout + stderr }).toEqual({
      args,
      status: 0,
      output: '',
    });
  });

  test('promtool check metrics reports no error for the metrics of a node', async () => {
    const { status, stdout, stderr } = check(['check', 'metrics'], await nodeMetrics().text());
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
}

test('the demo node and the fleet nodes accept the settings of a public node', () => {
  const compose = read('docker-compose.yml');
  const nodes = [/^x-node: .*?^services:/ms, /^ {2}app:.*?^ {4}ports:/ms].map(
    (part) => compose.match(part)?.[0],
  );
  for (const node of nodes) {
    for (const name of ['PUBLIC_ORIGIN', 'TRUSTED_PROXIES', 'SMTP_URL', 'ADMIN_EMAILS']) {
      expect(node).toMatch(new RegExp(`^ +${name}: \\$\\{`, 'm'));
    }
  }
  // Compose passes an unset variable as an empty text, which has to count as unset.
  const unset = { PUBLIC_ORIGIN: '', TRUSTED_PROXIES: '', SMTP_URL: '', ADMIN_EMAILS: '' };
  const required = {
    REDIS_URL: 'redis://r',
    DATABASE_URL: 'postgres://p/d',
    SESSION_SECRETS: 'x'.repeat(32),
  };
  expect(readEnv({ ...required, ...unset })).toEqual(readEnv(required));
});

test('containers use images with a pinned version', () => {
  const images = [
    ...read('docker-compose.yml').matchAll(/^ +image: (\S+)$/gm),
    ...read('Dockerfile').matchAll(/^FROM (\S+)/gm),
  ].map(([, image = '']) => image);
  const foreign = images.filter((image) => image !== 'floodgate');
  expect(foreign.length).toBeGreaterThan(5);
  for (const image of foreign) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?$/);
  expect(foreign.filter((image) => image.startsWith('node:24.'))).toHaveLength(2);
});

test('Renovate pins images by digest', () => {
  const { extends: presets, pinDigests } = JSON.parse(read('renovate.json'));
  expect({ presets, pinDigests }).toMatchObject({
    presets: expect.arrayContaining(['docker:pinDigests']),
    pinDigests: true,
  });
});

/** Of one key of the rules; a parser of YAML would be one more package for these few lines. */
function valuesOf(key: 'alert' | 'record'): string[] {
  return [...rules.matchAll(new RegExp(`^ +- ${key}: (\\S+)$`, 'gm'))].map(([, value = '']) => value);
}

function expressionsOf(text: string): string[] {
  return [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);
}
