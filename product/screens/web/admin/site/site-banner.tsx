import type { OutputOf } from '#platform/contract/call.ts';
import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReasonField, reasonOf } from '#product/billing/web/admin/reason.tsx';
import { changeBanner, getBanner, getSiteConfig, removeBanner } from '#product/site/client.ts';
import { MAX_BANNER_ADDRESS, MAX_BANNER_TEXT } from '#product/site/rules/banner.ts';
import { useState } from 'react';

/** A date field as a moment; its times are UTC here. Null if it is empty. */
const momentIn = (fields: FormData, name: string): string | null => {
  const typed = textOf(fields, name);
  return typed === '' ? null : new Date(`${typed}Z`).toISOString();
};
/** A moment as the field's value: without seconds and zone. */
const typedOf = (moment: string | null | undefined): string => moment?.slice(0, 16) ?? '';

/** The banner below the header of this site's home page, listings and rooms. */
export function SiteBannerForm({ known }: { readonly known: OutputOf<typeof getBanner> }) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  const { banner, is_shown: isShown } = known;
  const [isRemoving, setRemoving] = useState(false);
  const saved = async () => {
    const changed: readonly unknown[] = [getBanner.name, getSiteConfig.name];
    await cache.invalidateQueries({ predicate: ({ queryKey }) => changed.includes(queryKey[0]) });
    toast(ofBilling('web.operator.saved'), 'success');
  };
  const form = useForm(changeBanner, {
    shape: async () => (await import('#product/site/contract/banner.ts')).changeBanner,
    read: (fields) => ({
      text: textOf(fields, 'text').trim(),
      image_path: textOf(fields, 'image_path').trim() || null,
      link: textOf(fields, 'link').trim(),
      from: momentIn(fields, 'from'),
      until: momentIn(fields, 'until'),
      reason: reasonOf(fields),
    }),
    words: { image_path: t('siteBanner.badImage'), link: t('siteBanner.badLink') },
    fieldOf: { banner_order: 'until' },
    onDone: saved,
  });
  return (
    <>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          {t(banner === null ? 'siteBanner.none' : isShown ? 'siteBanner.shown' : 'siteBanner.notShown')}
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            {...form.field('text')}
            label={t('siteBanner.text')}
            hint={t('siteBanner.textHint')}
            required
            maxLength={MAX_BANNER_TEXT}
            autoComplete="off"
            defaultValue={banner?.text ?? ''}
          />
          <TextField
            {...form.field('link')}
            label={t('siteBanner.link')}
            hint={t('siteBanner.linkHint')}
            required
            maxLength={MAX_BANNER_ADDRESS}
            autoComplete="off"
            spellCheck={false}
            defaultValue={banner?.link ?? ''}
          />
          <TextField
            {...form.field('image_path')}
            label={t('siteBanner.image')}
            hint={t('siteBanner.imageHint')}
            maxLength={MAX_BANNER_ADDRESS}
            autoComplete="off"
            spellCheck={false}
            defaultValue={banner?.image_path ?? ''}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              {...form.field('from')}
              label={t('siteBanner.from')}
              type="datetime-local"
              defaultValue={typedOf(banner?.from)}
            />
            <TextField
              {...form.field('until')}
              label={t('siteBanner.until')}
              type="datetime-local"
              defaultValue={typedOf(banner?.until)}
            />
          </div>
        </div>
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={form.busy}>{t('siteBanner.save')}</Button>
          {banner === null
            ? null
            : <Button tone="quiet" onClick={() => setRemoving(true)}>{t('siteBanner.remove')}</Button>}
        </div>
      </form>
      {isRemoving ? <Removal onDone={saved} onClose={() => setRemoving(false)} /> : null}
    </>
  );
}

/** Removes the banner, once a reason was given. */
function Removal({ onDone, onClose }: {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('screens');
  const { t: ofBilling } = useTranslation('billing');
  const form = useForm(removeBanner, {
    shape: async () => (await import('#product/site/contract/banner.ts')).removeBanner,
    read: (fields) => ({ reason: reasonOf(fields) }),
    onDone: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Dialog
      title={t('siteBanner.removeTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ofBilling('web.keep')}</Button>
          <Button type="submit" form="remove-banner" tone="danger" busy={form.busy}>
            {t('siteBanner.remove')}
          </Button>
        </>
      }
    >
      <form id="remove-banner" {...form.props} className="flex flex-col gap-4">
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}
