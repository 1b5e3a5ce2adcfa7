import type { OutputOf } from '#platform/contract/call.ts';
import { linesIn } from '#platform/text/lines.ts';
import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReasonField, reasonOf } from '#product/billing/web/admin/reason.tsx';
import { changeSiteWords, getSiteConfig, getSiteWords } from '#product/site/client.ts';
import {
  MAX_HEADING_LENGTH,
  MAX_LISTING_NAME_LENGTH,
  MAX_LISTING_NAMES,
  MAX_META_DESCRIPTION_LENGTH,
  MAX_META_TITLE_LENGTH,
} from '#product/site/rules.ts';

/** Room for the maximum of names, each with its slug. */
const MAX_NAMES_LENGTH = MAX_LISTING_NAMES * (MAX_LISTING_NAME_LENGTH * 2);

type Names = OutputOf<typeof getSiteWords>['listing_names'];

/** Names as the field shows them: `casa-salsa: House cams`, one per line. */
const linesOf = (names: Names): string =>
  Object.entries(names).map(([slug, name]) => `${slug}: ${name}`).join('\n');

const namesIn = (text: string): Names =>
  Object.fromEntries(
    linesIn(text).map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );

/** Title, description and heading of this site's home page; empty ones have the usual text. */
export function SiteWordsForm({ words }: { readonly words: OutputOf<typeof getSiteWords> }) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(changeSiteWords, {
    shape: async () => (await import('#product/site/contract/site-words.ts')).changeSiteWords,
    read: (fields) => {
      const typed = (name: string): string | null => textOf(fields, name).trim() || null;
      return {
        meta_title: typed('meta_title'),
        meta_description: typed('meta_description'),
        h1_content: typed('h1_content'),
        listing_names: namesIn(textOf(fields, 'listing_names')),
        reason: reasonOf(fields),
      };
    },
    onDone: async () => {
      const changed: readonly unknown[] = [getSiteWords.name, getSiteConfig.name];
      await cache.invalidateQueries({ predicate: ({ queryKey }) => changed.includes(queryKey[0]) });
      toast(ofBilling('web.operator.saved'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('meta_title')}
          label={t('siteRules.metaTitle')}
          hint={t('siteRules.metaTitleHint')}
          maxLength={MAX_META_TITLE_LENGTH}
          autoComplete="off"
          defaultValue={words.meta_title ?? ''}
        />
        <TextField
          {...form.field('h1_content')}
          label={t('siteRules.heading')}
          autoComplete="off"
          maxLength={MAX_HEADING_LENGTH}
          defaultValue={words.h1_content ?? ''}
        />
        <TextArea
          {...form.field('meta_description')}
          label={t('siteRules.metaDescription')}
          hint={t('siteRules.metaDescriptionHint')}
          maxLength={MAX_META_DESCRIPTION_LENGTH}
          defaultValue={words.meta_description ?? ''}
        />
        <TextArea
          {...form.field('listing_names')}
          label={t('siteRules.listingNames')}
          hint={t('siteRules.listingNamesHint')}
          maxLength={MAX_NAMES_LENGTH}
          defaultValue={linesOf(words.listing_names)}
        />
      </div>
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('siteRules.saveWords')}</Button>
      </div>
    </form>
  );
}
