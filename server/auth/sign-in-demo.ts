import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { users } from '../db/schema';
import type { Language, Session, User } from '../trpc/context';
import { sessionColumns, toSession } from './user-sessions';

export interface DemoIdentity {
  /** The same name is the same shopper. Absent: a new shopper with a random name. */
  name?: string | undefined;
  /** The new role of the shopper. Absent: the role stays, at first `shopper`. */
  role?: User['role'] | undefined;
  /** Language of a random name. */
  language: Language;
}

/** Signs a demo user in without a password, and creates the user if necessary. For demo mode only. */
export type SignInDemo = (identity: DemoIdentity) => Promise<Session>;

/** Builds demo sign-in on Postgres. Without a name, each call creates a new user with a random name. */
export function createSignInDemo({ db }: { db: Db }): SignInDemo {
  return async function signInDemo({ name, role, language }) {
    return name === undefined
      ? createShopper(db, { role, language })
      : findOrCreateShopper(db, { name, role });
  };
}

async function findOrCreateShopper(
  db: Db,
  { name, role }: { name: string; role: User['role'] | undefined },
): Promise<Session> {
  const [user] = await db
    .insert(users)
    .values({ id: randomUUID(), name, role, isDemo: true })
    .onConflictDoUpdate({
      target: users.name,
      targetWhere: sql`${users.isDemo}`,
      // Without a new role it sets the old one, because `do nothing` returns no row.
      set: { role: role ?? sql`${users.role}` },
    })
    .returning(sessionColumns);
  if (!user) throw new Error(`Postgres returned no user for the name ${JSON.stringify(name)}.`);
  return toSession(user);
}

/** Creates a shopper with a random name. It tries another name if one is taken, which belongs to another shopper. */
async function createShopper(
  db: Db,
  { role, language }: { role: User['role'] | undefined; language: Language },
): Promise<Session> {
  for (;;) {
    const [user] = await db
      .insert(users)
      .values({ id: randomUUID(), name: randomDemoName(language), role, isDemo: true })
      .onConflictDoNothing()
      .returning(sessionColumns);
    if (user) return toSession(user);
  }
}

/** Returns a random name such as "Curious Otter 48213", one of 14 million per language. */
function randomDemoName(language: Language): string {
  const space = language === 'en' ? ' ' : '';
  return `${pickOne(qualities[language])}${space}${pickOne(animals[language])} ${randomInt(100_000)}`;
}

function pickOne(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? '';
}

const qualities: Record<Language, readonly string[]> = {
  en: [
    'Brisk',
    'Calm',
    'Cheerful',
    'Curious',
    'Gentle',
    'Lucky',
    'Merry',
    'Nimble',
    'Quiet',
    'Sunny',
    'Swift',
    'Witty',
  ],
  zh: [
    '机灵的',
    '悠闲的',
    '快乐的',
    '好奇的',
    '温柔的',
    '幸运的',
    '开朗的',
    '敏捷的',
    '安静的',
    '阳光的',
    '轻快的',
    '聪明的',
  ],
};

const animals: Record<Language, readonly string[]> = {
  en: [
    'Badger',
    'Crane',
    'Dolphin',
    'Finch',
    'Gecko',
    'Heron',
    'Lynx',
    'Magpie',
    'Otter',
    'Panda',
    'Robin',
    'Tapir',
  ],
  zh: ['小獾', '白鹤', '海豚', '燕雀', '壁虎', '白鹭', '猞猁', '喜鹊', '水獭', '熊猫', '知更鸟', '小貘'],
};
