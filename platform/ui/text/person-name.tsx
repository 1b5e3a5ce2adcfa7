import { Typed } from './typed.tsx';
import { useTranslation } from './use-translation.ts';

interface PersonNameProps {
  readonly name: string;
  /** As the server says it; absent is no. */
  readonly isStaff: boolean | undefined;
}

/** Somebody's name with the badge of staff, which stands before it so that no long name cuts it off. */
export function PersonName({ name, isStaff }: PersonNameProps) {
  return <>{isStaff ? <StaffBadge /> : null}<Typed>{name}</Typed></>;
}

/** A word on a colour of its own: whatever people type into a name doesn't look like it. */
export function StaffBadge() {
  const { t } = useTranslation();
  return (
    <span data-staff className="mr-[0.4em] inline-block shrink-0 rounded-control bg-blue px-[0.4em]
      text-[0.8em] font-bold text-ink not-italic">
      {t('staff')}
    </span>
  );
}
