import { z } from 'zod';
import { emailAddress, removePlusTag } from './email-address';
import { keyedBy, MAX_IN_FLIGHT, type Policy, type PolicyCall } from './limiter/index';
import type { Context, Localized } from './trpc/context';
import { idInput, purchaseInput, seckillInput } from './trpc/inputs';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

type ProductPolicy = Policy<Context> & { name: string; message: Localized };

const emailInput = z.object({ email: emailAddress });
const byEmail = keyedBy(emailInput, ({ input }) => removePlusTag(input.email));

/**
 * Counts the tries of codes of a mailbox. A browser that has signed in to the address counts by itself, so strangers, who
 * share one window, cannot lock its owner out: docs/decisions/054-known-browsers-count-by-themselves.md.
 */
const byMailbox = keyedBy<Context, typeof emailInput>(emailInput, ({ input: { email }, context }) => {
  const known = context.browser.signedInTo(email);
  return known === null ? removePlusTag(email) : JSON.stringify([removePlusTag(email), known]);
});

/** Returns false for a browser that requested no code for the address: no code is right there, so its tries cannot count. */
function requestedCode({ input, context }: PolicyCall<Context>): boolean {
  const { data } = emailInput.safeParse(input);
  // The levels refuse an invalid address before any charge.
  return data === undefined || context.browser.requestedCode(data.email) !== null;
}

const orderInput = z.object({ id: idInput });
/**
 * Returns the function that reads the request id of a purchase. Repeated calls with one id are one purchase; the same id
 * with another coupon is a conflict.
 */
function purchaseRequest(procedure: string): Policy<Context>['requestId'] {
  return ({ input, context }) => {
    const { couponId, requestId } = purchaseInput.safeParse(input).data ?? {};
    if (requestId === undefined) return undefined;
    return { id: JSON.stringify([context.user?.id, procedure, requestId]), input: couponId };
  };
}

/**
 * Returns true if a call could still buy, by the state in this node's memory. Without this condition, a few accounts fill the
 * shared window with calls that buy nothing: docs/decisions/027-levels-have-conditions.md.
 */
function couldBuy({ input, context: { user, conditions } }: PolicyCall<Context>): boolean {
  const { data } = purchaseInput.safeParse(input);
  return (
    data !== undefined && user !== null && conditions.couldBuy({ couponId: data.couponId, userId: user.id })
  );
}

/** Returns the ticket of a call that may wait. At its turn, the node buys with this payload. */
function seckillTicket({
  input,
  context: { user },
}: PolicyCall<Context>): { group: string; payload: string } | undefined {
  const { couponId, requestId, queue } = seckillInput.safeParse(input).data ?? {};
  if (!queue || couponId === undefined || !user) return undefined;
  return { group: couponId, payload: JSON.stringify({ userId: user.id, requestId }) };
}

/** The limits of all procedures. Levels are in checking order, narrowest first. */
export const policies = {
  signInDemo: {
    name: 'auth.signInDemo',
    levels: [{ level: 'ip', limit: 600, windowMs: MINUTE }],
    message: {
      en: 'Too many sign-ins from your internet connection. Wait a moment, then try again.',
      zh: '您的网络登录过于频繁，请稍后再试。',
    },
  },
  sendCode: {
    name: 'auth.sendCode',
    levels: [
      { level: 'email', by: byEmail, limit: 3, windowMs: MINUTE },
      { level: 'ip', limit: 30, windowMs: MINUTE },
      { level: 'ip-daily', by: ({ ip }) => ip, counts: 'ip', limit: 1_000, windowMs: DAY },
      // All mails of the site. Not named `global`, because the live stream sends those windows to every viewer.
      {
        level: 'mails',
        by: () => 'all',
        counts: 'all',
        limit: 10_000,
        windowMs: DAY,
        algorithm: 'sliding-counter',
        subWindows: 24,
      },
    ],
    message: {
      en: 'Too many codes requested. Wait a moment before you request another.',
      zh: '验证码获取过于频繁，请稍后再试。',
    },
  },
  verifyCode: {
    name: 'auth.verifyCode',
    levels: [
      {
        level: 'email+ip',
        by: keyedBy<Context, typeof emailInput>(emailInput, ({ input: { email }, context }) => {
          const known = context.browser.signedInTo(email);
          return JSON.stringify([removePlusTag(email), context.ip, ...(known === null ? [] : [known])]);
        }),
        when: requestedCode,
        limit: 5,
        windowMs: 10 * MINUTE,
      },
      { level: 'email', by: byMailbox, when: requestedCode, limit: 20, windowMs: 10 * MINUTE },
      // There are a million codes, so 100 attempts a day guess one with a probability of at most 1 in 10,000.
      {
        level: 'email-daily',
        by: byMailbox,
        counts: 'email',
        when: requestedCode,
        limit: 100,
        windowMs: DAY,
      },
      { level: 'ip', limit: 30, windowMs: MINUTE },
    ],
    message: {
      en: 'Too many wrong codes. A new code works only when the countdown has ended.',
      zh: '验证码错误次数过多，倒计时结束后新验证码才有效。',
    },
  },
  couponRead: {
    name: 'coupon.read',
    levels: [{ level: 'ip', limit: 300, windowMs: MINUTE }],
    message: {
      en: 'Your internet connection has opened too many pages in a short time.',
      zh: '您的网络短时间内打开页面过多。',
    },
    // A page that shows coupons is worth more than an exact count of its readers: docs/decisions/028.
    onStoreError: 'open',
  },
  // Each node decides it alone: docs/decisions/067. A shopper with ten open tabs sends 100 a minute.
  ownRead: {
    name: 'own.read',
    levels: [{ level: 'ip', limit: 3_000, windowMs: MINUTE, algorithm: 'sliding-counter', subWindows: 60 }],
    message: {
      en: 'Your network is reading too much in a short time. Wait a moment, then try again.',
      zh: '您的网络短时间内读取过于频繁，请稍后再试。',
    },
    onStoreError: 'local',
  },
  seckill: {
    name: 'coupon.seckill',
    levels: [
      {
        level: 'user',
        limit: 5,
        windowMs: 10 * SECOND,
        message: {
          en: 'You’ve used all your tries for now. Try again when the countdown ends.',
          zh: '抢购次数暂时用完了，请在倒计时结束后重试。',
        },
      },
      {
        level: 'global',
        limit: 100,
        windowMs: 10 * SECOND,
        when: couldBuy,
        queue: {
          maxLength: 5_000,
          maxWaitMs: 10 * MINUTE,
          maxPerSubject: 2,
          share: { by: ({ ip }) => ip, most: 500 },
          ticket: seckillTicket,
        },
      },
    ],
    message: {
      en: 'Many shoppers are grabbing at once. Try again when the countdown ends.',
      zh: '同时抢购的人太多，请在倒计时结束后重试。',
    },
    requestId: purchaseRequest('coupon.seckill'),
  },
  claim: {
    name: 'coupon.claim',
    levels: [
      {
        level: 'user',
        limit: 3,
        windowMs: MINUTE,
        punishment: { warnAt: 3, banAt: 5, banMs: 30 * MINUTE },
      },
    ],
    message: {
      en: 'You’re claiming coupons too fast. Try again when the countdown ends.',
      zh: '领得太快了，请在倒计时结束后重试。',
    },
    requestId: purchaseRequest('coupon.claim'),
  },
  orderChange: {
    name: 'order.change',
    levels: [{ level: 'user', limit: 6, windowMs: MINUTE }],
    message: {
      en: 'You’re changing orders too fast. Wait a moment, then try again.',
      zh: '订单操作过于频繁，请稍后再试。',
    },
  },
  // `order.pay` decides before `order.change`, so a call that it refuses charges nothing.
  orderPay: {
    name: 'order.pay',
    levels: [
      {
        level: 'order',
        by: keyedBy(orderInput, ({ input, context }) => JSON.stringify([context.user?.id, input.id])),
        concurrent: 1,
        leaseMs: 10 * SECOND,
        // A call without an order answers 400, and order.change counts it.
        when: ({ input }) => orderInput.safeParse(input).success,
      },
    ],
    message: {
      en: 'A payment of this order is in progress. Wait for its result.',
      zh: '这笔订单正在支付中，请等待支付结果。',
    },
  },
  merchant: {
    name: 'merchant',
    levels: [{ level: 'ip', limit: 5, windowMs: SECOND }],
    message: {
      en: 'You’re looking up merchants too fast. Try again in a moment.',
      zh: '查询商家过于频繁，请稍后再试。',
    },
    onStoreError: 'local',
  },
  crowd: {
    name: 'demo.crowd',
    levels: [{ level: 'ip', limit: 6, windowMs: MINUTE }],
    message: {
      en: 'Too many crowds from your internet connection. Wait a moment, then send another.',
      zh: '模拟人潮过于频繁，请稍后再试。',
    },
  },
  lab: {
    name: 'lab',
    levels: [{ level: 'ip', limit: 10, windowMs: MINUTE }],
    message: {
      en: 'Too many experiments from your internet connection. Wait a moment, then try again.',
      zh: '实验过于频繁，请稍后再试。',
    },
  },
  ladder: {
    name: 'lab.tap',
    levels: [
      {
        level: 'ip',
        limit: 3,
        windowMs: 10 * SECOND,
        punishment: { warnAt: 2, banAt: 4, banMs: 20 * SECOND, lapseMs: 15 * SECOND },
      },
    ],
    message: {
      en: 'You’re clicking too fast. Try again when the countdown ends.',
      zh: '点得太快了，请在倒计时结束后重试。',
    },
  },
} as const satisfies Record<string, ProductPolicy>;

/** The policies of procedures that exist in demo mode only. */
export const demoPolicies: readonly ProductPolicy[] = [policies.signInDemo, policies.crowd];

/**
 * The policies that each node decides in its own memory. Their calls cost no round trip and need no Redis, and a fleet admits
 * the limit once per node.
 */
export const nodePolicies: ReadonlySet<string> = new Set([policies.ownRead.name]);

/** The text of a refused live stream. */
export const TOO_MANY_STREAMS: Localized = {
  en: 'Too many live streams are open from your address.',
  zh: '您的网络打开的实时连接过多。',
};

/**
 * Returns the limit on the open live streams of an address on all nodes, by `LIVE_STREAMS_PER_ADDRESS`. Above
 * `MAX_IN_FLIGHT` there is none, and each node counts its own streams.
 */
export function createLiveStreamPolicy(perAddress: number): ProductPolicy | undefined {
  if (perAddress > MAX_IN_FLIGHT) return undefined;
  return {
    name: 'api.live',
    levels: [{ level: 'ip', concurrent: perAddress, leaseMs: 30 * SECOND }],
    message: TOO_MANY_STREAMS,
    // A viewer learns from the stream that the store is down.
    onStoreError: 'open',
  };
}
