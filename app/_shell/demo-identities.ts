/** The demo users. The same name is always the same shopper. Vera has a limit of her own: see server/demo/seed.ts. */
export const demoIdentities = [
  { name: 'Ada', role: 'shopper' },
  { name: 'Bram', role: 'shopper' },
  { name: 'Chen', role: 'shopper' },
  { name: 'Vera', role: 'shopper', plan: 'vip' },
  { name: 'Dara', role: 'admin' },
] as const;

export type DemoIdentity = (typeof demoIdentities)[number];
