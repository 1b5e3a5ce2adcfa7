import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { queryKeyOf } from '../../../../platform/ui/calls/calls.ts';
import { getSiteConfig } from '../../../site/client.ts';
import type { Look } from '../../../site/contract.ts';

type Words = Pick<Look, 'meta_title' | 'meta_description' | 'h1_content'>;
const USUAL: Words = { meta_title: null, meta_description: null, h1_content: null };

/** What the site says of itself on its home page; null where a page has its usual words. */
export function homeWords(cache: QueryClient): Words {
  const config = cache.getQueryData<OutputOf<typeof getSiteConfig>>(queryKeyOf(getSiteConfig, {}));
  return config?.site.custom ?? USUAL;
}
