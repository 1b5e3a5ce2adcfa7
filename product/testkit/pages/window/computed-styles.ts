import { CSSStyleDeclaration, PropertySymbol } from 'happy-dom';

/** happy-dom's cache of one element's styles. */
interface Properties {
  properties: Record<string, object>;
  definedPropertyNames: Record<string, boolean>;
}
interface Cloning {
  clone: (this: Properties) => Properties;
}

/**
 * Copies the inherited styles of an element by hand. happy-dom uses `structuredClone` for every element that
 * axe or a click looks at, which is a twentieth of the cost of a page test.
 */
export function copyStylesQuickly(): void {
  const get = PropertySymbol.getPropertyManager;
  const read = Reflect.get(CSSStyleDeclaration.prototype, get) as (this: object) => Cloning;
  // The class of a declaration's properties is not exported; a declaration of no element gives access to it.
  const none = { [PropertySymbol.element]: null, [PropertySymbol.cache]: { propertyManager: null } };
  const prototype = Object.getPrototypeOf(read.call(none)) as Cloning;
  prototype.clone = function clone(this: Properties): Properties {
    const copy = new (this.constructor as new() => Properties)();
    for (const [name, property] of Object.entries(this.properties)) copy.properties[name] = { ...property };
    Object.assign(copy.definedPropertyNames, this.definedPropertyNames);
    return copy;
  };
}
