import { useEffect, useState } from 'react';

/** Returns a value after it has not changed for `restMs`, and a setter that skips the delay. */
export function useDebounced<Value>(value: Value, restMs: number): [Value, (now: Value) => void] {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return [rested, setRested];
}
