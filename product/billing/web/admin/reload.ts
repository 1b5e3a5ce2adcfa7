import { useCache } from '#platform/ui/calls/calls.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getMoneyRules } from '#product/ledger/client.ts';
import { getSeller } from '#product/site/client.ts';
import { useCallback } from 'react';
import { getBillingRules, listBillingChanges, listManagedProducts, listPromoCodes } from '../../client.ts';

const READS: readonly string[] = [
  getBillingRules,
  getMoneyRules,
  getSeller,
  listBillingChanges,
  listManagedProducts,
  listPromoCodes,
].map(({ name }) => name);

/** After a change: reloads all sections, because one may show another's data, then confirms with a toast. */
export function useSaved(): () => Promise<void> {
  const { t } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  return useCallback(async () => {
    await cache.invalidateQueries({ predicate: ({ queryKey }) => READS.includes(String(queryKey[0])) });
    toast(t('web.operator.saved'), 'success');
  }, [cache, t, toast]);
}
