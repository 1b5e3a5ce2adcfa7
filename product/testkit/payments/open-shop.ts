import { afterAll } from 'vitest';
import { createShop, type Shop } from './payments.ts';

/** A shop shared by the tests of one file: await it at the top of the file. It closes after the last test. */
export async function openShop(options: Parameters<typeof createShop>[0] = {}): Promise<Shop> {
  const shop = await createShop(options);
  afterAll(() => shop.close());
  return shop;
}
