import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '#platform/ui/controls/button.tsx';
import { useForm, type Form } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateSettings } from '../../../client.ts';
import type { SettingsInput } from '../../../contract/settings.ts';
import type { Me } from '../../me.ts';
import { showSettings } from '../live.ts';

/** What each section of the settings page is given. */
export interface SectionProps {
  readonly me: Me;
}

/** What the fields of a section show, by name; a box is ticked or not. */
type Shown = Readonly<Record<string, string | boolean>>;

interface SettingsFormProps {
  /** What is saved now: where the fields begin. */
  readonly shown: Shown;
  /** Makes what is sent of the fields. */
  readonly read: (fields: FormData) => SettingsInput;
  /** The field that a refusal of the server belongs to. */
  readonly refused?: string;
  /** A section's own words for a field that does not fit. */
  readonly words?: Readonly<Record<string, string>>;
  readonly children: (form: Form) => ReactNode;
}

/** One section of settings, saved as one. What was typed stays when it is refused. */
export function SettingsForm({ shown, read, refused, words, children }: SettingsFormProps) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const form = useForm(updateSettings, {
    shape: async () => (await import('../../../contract/settings.ts')).updateSettings,
    read, applied: showSettings, words,
    fieldOf: refused === undefined ? {} : { setting_refused: refused },
    onDone: () => {
      toast(t('settings.saved'), 'success');
    },
  });
  useFollow(form, shown);
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {children(form)}
      <FormError problem={form.problem} />
      <div><Button type="submit" busy={form.busy}>{t('settings.save')}</Button></div>
    </form>
  );
}

/** Shows what was saved elsewhere in fields that nobody has touched. */
function useFollow(form: Form, shown: Shown): void {
  const before = useRef(shown);
  const { ref } = form.props;
  useEffect(() => {
    for (const [name, value] of Object.entries(shown)) {
      const field = ref.current?.elements.namedItem(name);
      const known = before.current[name];
      if (field instanceof HTMLInputElement && field.type === 'checkbox') {
        if (field.checked === known) field.checked = value === true;
      } else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        if (field.value === known) field.value = String(value);
      }
    }
    before.current = shown;
  }, [ref, shown]);
}

/** The one of these values that a field holds. */
export function choiceIn<Value extends string>(
  fields: FormData, name: string, of: readonly Value[],
): { readonly [Key in string]?: Value } {
  const value = of.find((one) => one === fields.get(name));
  return value === undefined ? {} : { [name]: value };
}

/** A whole number that was typed; null for an empty field. */
export function numberIn(fields: FormData, name: string): number | null {
  const typed = fields.get(name);
  return typeof typed !== 'string' || typed.trim() === '' ? null : Number(typed);
}
