interface LevelName {
  policy: string;
  level: string;
}

/** Returns the key of a level, for maps and lists: `coupon.seckill:global`. */
export function levelKey({ policy, level }: LevelName): string {
  return `${policy}:${level}`;
}

/** Parses a `levelKey`. */
export function parseLevelKey(key: string): LevelName {
  const [policy = '', level = ''] = key.split(':');
  return { policy, level };
}
