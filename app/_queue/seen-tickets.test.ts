import { expect, test } from 'vitest';
import { addSeenTickets, parseSeenTickets } from './seen-tickets';

const ticket = { ticketId: 'a', couponId: 'tea', requestId: 'r', joinedAt: 1_000 };
const waiting = {
  ticket: { ...ticket, state: 'waiting' as const, position: 2, ahead: 1, turnAt: 20_000 },
  title: 'Tea',
};
const ada = { userId: 'ada', now: 5_000 };
const lost = { ticket: { ...ticket, state: 'void', reason: 'lost' }, title: 'Tea' };

test('a ticket that was seen waiting is lost, unless the server lists it', () => {
  expect(parseSeenTickets(addSeenTickets('', [waiting], ada), ada)).toEqual([lost]);
});

test('a user sees only the own tickets, each once', () => {
  const text = addSeenTickets(addSeenTickets('', [waiting], ada), [waiting], ada);
  expect(parseSeenTickets(text, ada)).toEqual([lost]);
  expect(parseSeenTickets(text, { ...ada, userId: 'bob' })).toEqual([]);
});

test('a ticket is dropped 9 minutes after it was seen, while the server still lists it', () => {
  const text = addSeenTickets('', [waiting], ada);
  expect(parseSeenTickets(text, { ...ada, now: 5_000 + 539_999 })).toEqual([lost]);
  expect(parseSeenTickets(text, { ...ada, now: 5_000 + 540_000 })).toEqual([]);
});

test.each(['', '{', '{}', '[{"ticketId":"a"}]'])('the invalid text %j has no tickets', (text) => {
  expect(parseSeenTickets(text, ada)).toEqual([]);
});
