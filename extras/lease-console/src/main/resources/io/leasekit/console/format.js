const DURATION = /^(-)?PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?$/;

// the seconds of an ISO-8601 duration
export function seconds(duration) {
  const parts = DURATION.exec(duration ?? '');
  if (!parts) {
    return null;
  }
  const sum = Number(parts[2] ?? 0) * 3600 + Number(parts[3] ?? 0) * 60 + Number(parts[4] ?? 0);
  return parts[1] ? -sum : sum;
}

export function span(value) {
  if (value === null || value === undefined) {
    return '–';
  }
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size < 1) {
    return `${sign}${Math.round(size * 1000)} ms`;
  }
  if (size < 10) {
    return `${sign}${size.toFixed(1)} s`;
  }
  const whole = Math.round(size);
  if (whole < 60) {
    return `${sign}${whole} s`;
  }
  if (whole < 3600) {
    return `${sign}${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) {
    return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  return `${sign}${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

export function time(instant) {
  if (!instant) {
    return '–';
  }
  const date = new Date(instant);
  const today = new Date().toDateString() === date.toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

export function words(constant) {
  return String(constant).toLowerCase().replaceAll('_', ' ');
}

export function count(number) {
  return Number(number).toLocaleString();
}
