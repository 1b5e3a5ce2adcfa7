import { createElement, type SVGAttributes } from 'react';

/** A drawing as lucide ships it: elements with their attributes, on a grid of 24. */
interface Drawing {
  readonly node: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

interface IconProps extends SVGAttributes<SVGSVGElement> {
  readonly size?: number;
}

/**
 * Makes an icon of a lucide drawing. It stands in for lucide's own factory (`vite.config.ts`), whose class
 * names, contexts and options no page uses.
 */
export default function createLucideIcon({ node }: Drawing) {
  return function Icon({ size = 20, ...rest }: IconProps) {
    return createElement('svg', {
      width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 2,
      strokeLinecap: 'round', strokeLinejoin: 'round', ...rest,
    }, node.map(([tag, attributes]) => createElement(tag, attributes)));
  };
}
