import { useLayoutEffect, useMemo, useRef, type RefObject } from 'react';
import { mergeProps, useFocusRing, useNumberFormatter, useSlider, useSliderThumb } from 'react-aria';
import { useSliderState, type SliderState } from 'react-stately';

export interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** The step of an arrow key, when it is larger than `step`. */
  readonly keyStep?: number;
  /** The value in words, for screen readers. */
  readonly text?: string;
  /** Called at every step of a drag. */
  readonly onChange: (value: number) => void;
  /** Called once, when a drag or a key press is over. */
  readonly onDone?: (value: number) => void;
}

/** A slider: arrows, Page up and down, Home and End; drag, or click on its track. It fills its row. */
export function Slider(
  { label, value, min, max, step = 1, keyStep = step, text, onChange, onDone }: SliderProps,
) {
  const track = useRef<HTMLDivElement>(null);
  const props = useMemo(
    () => ({ 'aria-label': label, minValue: min, maxValue: max, step }),
    [label, max, min, step],
  );
  const bySteps = useSliderState({
    ...props,
    value: [value],
    numberFormatter: useNumberFormatter(),
    onChange: ([changed = value]) => onChange(changed),
    onChangeEnd: ([changed = value]) => onDone?.(changed),
  });
  // The library reads the step of keys from the state; values are still rounded to the slider's own step.
  const state = { ...bySteps, step: keyStep };
  // One thumb needs no group around it: the thumb has the name.
  const { trackProps } = useSlider(props, state, track);
  const { style: _placed, ...ownTrackProps } = trackProps;
  return (
    <div
      {...ownTrackProps}
      ref={track}
      className="relative h-11 min-w-0 grow touch-none before:absolute before:inset-x-0 before:top-1/2
        before:h-1 before:-translate-y-1/2 before:rounded-full before:bg-field"
    >
      <Thumb state={state} track={track} label={label} text={text} />
    </div>
  );
}

interface ThumbProps {
  readonly state: SliderState;
  readonly track: RefObject<HTMLDivElement | null>;
  readonly label: string;
  readonly text: string | undefined;
}

function Thumb({ state, track, label, text }: ThumbProps) {
  const input = useRef<HTMLInputElement>(null);
  const { thumbProps, inputProps } = useSliderThumb({ index: 0, trackRef: track, inputRef: input }, state);
  const { focusProps, isFocusVisible } = useFocusRing();
  const { style: _placed, ...handlers } = thumbProps;
  const filled = useRef<HTMLDivElement>(null);
  const thumb = useRef<HTMLDivElement>(null);
  const percent = `${state.getThumbPercent(0) * 100}%`;
  // Server markup may carry no `style` (decision 10), so the position is set on the element.
  useLayoutEffect(() => {
    if (filled.current) filled.current.style.inlineSize = percent;
    if (thumb.current) thumb.current.style.insetInlineStart = percent;
  }, [percent]);
  return (
    <>
      <div ref={filled} className="absolute start-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-primary" />
      <div
        {...handlers}
        ref={thumb}
        className={`absolute top-1/2 size-4 -translate-x-1/2 -translate-y-1/2 cursor-pointer touch-none
          rounded-full bg-primary rtl:translate-x-1/2
          ${isFocusVisible ? 'outline-2 outline-offset-2 outline-focus' : ''}`}
      >
        <input
          {...mergeProps(inputProps, focusProps)}
          ref={input}
          type="range"
          className="sr-only"
          aria-label={label}
          aria-labelledby={undefined}
          aria-valuetext={text ?? inputProps['aria-valuetext']}
        />
      </div>
    </>
  );
}
