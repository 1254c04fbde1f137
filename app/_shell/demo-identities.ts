/** The demo users. The same name is always the same shopper. */
export const demoIdentities = [
  { name: 'Ada', role: 'shopper' },
  { name: 'Bram', role: 'shopper' },
  { name: 'Chen', role: 'shopper' },
  { name: 'Dara', role: 'admin' },
] as const;

export type DemoIdentity = (typeof demoIdentities)[number];
