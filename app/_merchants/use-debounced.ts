import { useEffect, useState } from 'react';

/** A value once it has rested for a while. */
export function useDebounced<Value>(value: Value, restMs: number): [Value, (now: Value) => void] {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return [rested, setRested];
}
