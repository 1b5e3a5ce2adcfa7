import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import {
  offerTicketShow,
  recordingPriceTooLow,
  ticketConsentMissing,
  ticketMessageEmpty,
  ticketRefundTooLong,
} from '../../../client.ts';
import {
  MAX_LEAD_MINUTES,
  MAX_RECORDING_PRICE,
  MAX_SHOW_MINUTES,
  MAX_TICKET_MESSAGE,
  MAX_TICKET_PRICE,
  MAX_TICKETS,
  MIN_LEAD_MINUTES,
  MIN_SHOW_MINUTES,
  MIN_TICKET_PRICE,
  TICKET_CONSENT_VERSION,
} from '../../../rules/ticket-show.ts';
import { showOpen } from '../live.ts';

/** Numeric fields, with their limits and initial values. */
const NUMBERS = [
  ['ticket_price', 'price', MIN_TICKET_PRICE, MAX_TICKET_PRICE, 100],
  ['starts_in_minutes', 'startsIn', MIN_LEAD_MINUTES, MAX_LEAD_MINUTES, 30],
  ['minimum_tickets', 'minimum', 1, MAX_TICKETS, 5],
  ['minutes', 'minutes', MIN_SHOW_MINUTES, MAX_SHOW_MINUTES, 30],
  ['refund_joined_minute_before_end', 'refund', 0, MAX_SHOW_MINUTES, 10],
] as const;

/** The form that offers a ticket show to the room. */
export function OfferForm() {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const [isRecorded, setRecorded] = useState(false);
  const form = useForm(offerTicketShow, {
    shape: async () => (await import('../../../contract/ticket-show.ts')).offerTicketShow,
    read: (fields) => {
      const number = (name: string): number => Number(textOf(fields, name));
      return {
        message: textOf(fields, 'message'),
        ticket_price: number('ticket_price'),
        starts_in_minutes: number('starts_in_minutes'),
        minimum_tickets: number('minimum_tickets'),
        minutes: number('minutes'),
        refund_joined_minute_before_end: number('refund_joined_minute_before_end'),
        recording_price: isRecorded ? number('recording_price') : 0,
        recording_consent: isRecorded && fields.has('recording_consent'),
        recording_consent_version: TICKET_CONSENT_VERSION,
      };
    },
    fieldOf: {
      [ticketMessageEmpty.code]: 'message',
      [ticketRefundTooLong.code]: 'refund_joined_minute_before_end',
      [recordingPriceTooLow.code]: 'recording_price',
      [ticketConsentMissing.code]: 'recording_consent',
    },
    applied: showOpen,
    onDone: () => toast(t('ticket.own.offered'), 'success'),
  });
  const hints = { minimum: t('ticket.own.minimumHint'), refund: t('ticket.own.refundHint') };
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('ticket.own.lead')}</p>
      <TextField
        {...form.field('message')}
        required
        maxLength={MAX_TICKET_MESSAGE}
        autoComplete="off"
        label={t('ticket.own.message')}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-1">
        {NUMBERS.map(([name, text, min, max, initial]) => (
          <TextField
            key={name}
            {...form.field(name)}
            type="number"
            inputMode="numeric"
            required
            step={1}
            min={min}
            max={max}
            defaultValue={initial}
            label={t(`ticket.own.${text}`)}
            hint={text === 'minimum' || text === 'refund' ? hints[text] : undefined}
          />
        ))}
      </div>
      <Checkbox
        checked={isRecorded}
        label={t('ticket.own.sellRecording')}
        onChange={({ target }) => setRecorded(target.checked)}
      />
      {isRecorded ? <RecordingFields form={form} /> : null}
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('ticket.own.offer')}</Button>
      </div>
    </form>
  );
}

/** The recording's price, and the performer's consent to it. */
function RecordingFields({ form }: { form: Pick<Form, 'field'> }) {
  const { t } = useTranslation('shows');
  return (
    <div className="flex flex-col gap-3 rounded-card border border-line p-4">
      <TextField
        {...form.field('recording_price')}
        type="number"
        inputMode="numeric"
        required
        step={1}
        min={MIN_TICKET_PRICE}
        max={MAX_RECORDING_PRICE}
        defaultValue={50}
        label={t('ticket.own.recordingPrice')}
        hint={t('ticket.own.recordingHint')}
      />
      <p className="text-sm text-muted">{t('ticket.own.consentText')}</p>
      <Checkbox {...form.field('recording_consent')} label={t('ticket.own.consentAgree')} />
    </div>
  );
}
