import { afterAll } from 'vitest';
import { createShop, type Shop } from './payments.ts';

/** A shop that the tests of one file share: await it at the top of the file. It closes after the last. */
export async function openShop(options: Parameters<typeof createShop>[0] = {}): Promise<Shop> {
  const shop = await createShop(options);
  afterAll(() => shop.close());
  return shop;
}
