import { expect, test } from 'vitest';
import { sizeOf, validateSize } from './command-size';

const log = 'sliding-log 5 1000 10 enforce 0 0 0';
const flight = 'in-flight 5 1000 10 enforce 0 0 0';

test.each([
  ['one level', `1 0 0 ${log}`, 1, 0],
  ['a shadow level besides', `1 0 0 ${log} fixed-window 5 1000 10 shadow 0 0 0`, 2, 0],
  // violations and bans; a member of the bans
  ['a punishment', '1 0 0 sliding-log 5 1000 10 enforce 5 1000 1000', 3, 1],
  ['a queue', '1 0 0 queued-log 5 1000 10 enforce 0 0 0', 2, 0],
  // its key; its fingerprint
  ['a request id', `1 0 86400000 ${log}`, 2, 1],
  // the generation of each level, and the reservation
  ['a reservation', `1 0 reserve=60000 ${log} ${log}`, 5, 0],
  ['a settling', `settle 0 0 ${log} ${flight}`, 5, 1],
  // its generation
  ['a shared level', `1 0 86400000 ${log} ${log.replace('enforce', 'enforce+')}`, 4, 1],
  ['a shared level and a reservation', `1 0 reserve=60000 ${log.replace('enforce', 'shadow+')}`, 3, 0],
  ['a lease', `1 0 0 ${flight}`, 1, 1],
  ['a released lease', `release 0 0 ${flight}`, 1, 1],
  ['a peek', `0 200 0 ${flight}`, 1, 0],
  ['a cost by call', `* 0 0 ${log}`, 1, 1],
  ['numbers by call', '1 0 0 sliding-log * * 10 enforce 0 0 0', 1, 1],
])('a command with %s has its number of keys and arguments', (_name, policyArgs, keyCount, argCount) => {
  expect(sizeOf(policyArgs)).toEqual({ keyCount, argCount });
});

test('a command with a key or an argument too many is an error that names the numbers', () => {
  const policyArgs = `1 0 0 ${log}`;
  validateSize({ policyArgs, keys: ['a'], args: [] });
  const error = 'A command has 2 keys and 0 arguments, but its policy arguments "1 0 0 sliding-log';
  expect(() => validateSize({ policyArgs, keys: ['a', 'b'], args: [] })).toThrow(error);
  expect(() => validateSize({ policyArgs, keys: ['a'], args: [1] })).toThrow('need 1 and 0');
});
