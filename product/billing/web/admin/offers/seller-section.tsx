import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { changeSeller, getSeller } from '#product/site/client.ts';
import { MAX_ADDRESS_LENGTH, MAX_COMPANY_LENGTH } from '#product/site/rules.ts';
import { ReasonField, reasonOf } from '../reason.tsx';
import { useSaved } from '../reload.ts';

/** The company on receipts. */
export function SellerSection() {
  const { t } = useTranslation('billing');
  const read = useRead(getSeller, {});
  return (
    <Section anchor="seller" title={t('web.operator.seller.title')} lead={t('web.operator.seller.lead')}>
      <Loaded read={read} height="h-48">
        {(seller) => <SellerForm key={JSON.stringify(seller)} seller={seller} />}
      </Loaded>
    </Section>
  );
}

function SellerForm({ seller }: { seller: OutputOf<typeof getSeller> }) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const form = useForm(changeSeller, {
    shape: async () => (await import('#product/site/contract/seller.ts')).changeSeller,
    read: (fields) => ({
      // Browsers submit line breaks as CR LF.
      name: textOf(fields, 'name'),
      address: textOf(fields, 'address').replaceAll('\r\n', '\n'),
      reason: reasonOf(fields),
    }),
    onDone: saved,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        {...form.field('name')}
        label={t('web.operator.seller.name')}
        required
        maxLength={MAX_COMPANY_LENGTH}
        autoComplete="organization"
        defaultValue={seller.name}
      />
      <TextArea
        {...form.field('address')}
        label={t('web.operator.seller.address')}
        maxLength={MAX_ADDRESS_LENGTH}
        autoComplete="street-address"
        defaultValue={seller.address}
      />
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('web.operator.save')}</Button>
      </div>
    </form>
  );
}
