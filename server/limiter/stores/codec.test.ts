import { expect, test } from 'vitest';
import { testArgs, testKeys, testLevel } from '../../../test/store-commands';
import { encodeBatch } from './codec';
import type { PolicyArgs, StoreCommand } from './store';

const numbers = { limit: 5, windowMs: 1_000 };
const log = testLevel('sliding-log', numbers);
const flight = testLevel('in-flight', numbers);
const shared = { ...log, shared: 'all' };
const punishing = { ...log, punishment: { banAt: 5, banMs: 1_000, lapseMs: 1_000 } };
const requestTtlMs = 86_400_000;
const request = { request: { key: 'request', input: 7 } };
const leaseId = 'lease-000001';
const reservationKey = 'reservation';
const kindOf = (kind: PolicyArgs['kind'], ...levels: PolicyArgs['levels']) => ({ ...testArgs(levels), kind });

function encode(...commands: Pick<StoreCommand, 'policyArgs'>[]) {
  const keys = testKeys('p', (index) => `p:${index}`);
  return encodeBatch(commands.map((one) => ({ command: { keys, cost: 3, ...one }, clock: undefined })));
}

test.each<[string, PolicyArgs, Partial<StoreCommand>, string[], (string | number)[]]>([
  ['one level', testArgs([log]), {}, ['p:0'], []],
  ['a shadow level besides', testArgs([log, { ...log, mode: 'shadow' }]), {}, ['p:0', 'p:1'], []],
  ['a punishment', testArgs([punishing]), {}, ['p:0', 'p:0:violations', 'p:bans'], ['0']],
  ['a queue', testArgs([{ ...log, queue: {} }]), {}, ['p:0', 'p:queue'], []],
  ['a request id', testArgs([log], { requestTtlMs }), request, ['p:0', 'request'], [7]],
  [
    'a reservation',
    testArgs([log, log], { reserveMs: 60_000 }),
    { reservationKey },
    ['p:0', 'p:1', 'p:0:generation', 'p:1:generation', 'reservation'],
    [],
  ],
  [
    'a settling',
    kindOf('settle', log, flight),
    { reservationKey },
    ['p:0', 'p:1', 'p:0:generation', 'p:1:generation', 'reservation'],
    ['3 '],
  ],
  [
    'a shared level',
    testArgs([log, shared], { requestTtlMs }),
    request,
    ['p:0', 'p:1', 'p:1:generation', 'request'],
    [7],
  ],
  [
    'a shared level and a reservation',
    testArgs([shared], { reserveMs: 60_000 }),
    { reservationKey },
    ['p:0', 'p:0:generation', 'reservation'],
    [],
  ],
  ['a lease', testArgs([flight]), { leaseId }, ['p:0'], [leaseId]],
  ['a released lease', kindOf('release', flight), { leaseId }, ['p:0'], [leaseId]],
  [
    'a peek',
    kindOf('peek', { ...punishing, shared: 'all', queue: {} }),
    {},
    ['p:0', 'p:0:violations', 'p:bans'],
    ['0'],
  ],
  ['a cost by call', testArgs([log], { cost: undefined }), {}, ['p:0'], ['3 ']],
  ['numbers by call', testArgs([{ ...log, isPersonal: true }]), {}, ['p:0'], ['5 1000']],
])('a command with %s has its keys and arguments', (_name, policyArgs, command, keys, args) => {
  const encoded = encode({ policyArgs, ...command });
  expect(encoded.keys).toEqual(keys);
  expect(encoded.args.slice(2)).toEqual(args);
});

test('a peek is encoded without queue and shared level', () => {
  const policyArgs = { ...kindOf('peek', { ...log, shared: 'all', queue: {} }), hits: 9 };
  expect(encode({ policyArgs }).args).toEqual(['0 9 0 sliding-log 5 1000 10 enforce 0 0 0', 1]);
});

test('neighbours of one policy are one group', () => {
  const [one, other] = [testArgs([log]), testArgs([flight])];
  const counts = encode({ policyArgs: one }, { policyArgs: one }, { policyArgs: other }, { policyArgs: one });
  expect(counts.args.filter((arg) => typeof arg === 'number')).toEqual([2, 1, 1]);
});
