import { listManagedProducts, type ManagedProductView } from '#product/billing/contract/operator.ts';
import type { Member } from '../site.ts';

/** A pack of 80 tokens, as input of the call that creates it. */
export const PACK = {
  internal_id: 'pack_80',
  kind: 'pack' as const,
  membership: null,
  tokens: 80,
  free_tokens: 0,
  price_minor: 800,
  currency: 'USD',
  days: null,
  one_click: true,
  countries: [] as string[],
  reason: 'quarterly review',
};

/** The products of an operator, as its admin sees them. */
export function managedBy(admin: Member) {
  const onSale = async (): Promise<ManagedProductView[]> =>
    (await admin.call(listManagedProducts, {})).products;
  /** A product on sale or retired. */
  async function productOf(id: string): Promise<ManagedProductView> {
    const all = [...await onSale(), ...(await admin.call(listManagedProducts, { retired: true })).products];
    const found = all.find((item) => item.internal_id === id);
    if (!found) throw new Error(`no product ${id}`);
    return found;
  }
  return { onSale, productOf };
}
