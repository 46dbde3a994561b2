#!/usr/bin/env python3
"""Write stations.csv: 20,000 hours of weather at eight stations, 24 columns.

    make_stations.py [FILE]        (default: stations.csv beside this script)

The weather is invented, its habits are not: pressures are large numbers that
vary little (100,000 Pa plus or minus 1 %), neighbouring stations see nearly
the same air, and the season and the time of day run through every column.

All arithmetic is on Python integers, in units of the last printed digit, so
the file is the same, byte for byte, on every machine.
"""
import hashlib
import os
import sys
from collections.abc import Iterator

HOURS = 20000
STATIONS = 8
DAY = 24
YEAR = 8766             # hours: 365.25 days
SHA256 = "96b693695dd5f82901d2847c5efba5357c3a34793472b91cc37abf0503d285e6"

HEIGHT_M = (4, 31, 112, 260, 7, 489, 58, 175)     # above the sea
INLAND = (0, 3, 6, 8, 1, 9, 4, 7)                 # 0 coast .. 9 far from it

# Saturation vapour pressure of water in 0.1 Pa at -40, -30, ... 50 degrees Celsius.
SATURATION = (189, 509, 1254, 2865, 6112, 12281, 23388, 42455, 73813, 123440)


class Noise:
    """A 64-bit linear congruential generator: the same numbers everywhere."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self, bound: int) -> int:
        """An integer in [-bound, bound]."""
        self.state = (self.state * 0x5851F42D4C957F2D + 0x14057B7EF767814F) % 2**64
        return (self.state >> 32) * (2 * bound + 1) // 2**32 - bound

    def bell(self, bound: int) -> int:
        """Four uniform numbers added: roughly normal, within 4 * bound."""
        return sum(self.uniform(bound) for _ in range(4))


def wave(hour: int, period: int, amplitude: int) -> int:
    """A sine drawn with parabolas, between -amplitude and amplitude."""
    half = period // 2
    phase = hour % period
    arc = phase % half
    height = 4 * amplitude * arc * (half - arc) // (half * half)
    return height if phase < half else -height


def saturation_pressure(temperature: int) -> int:
    """Saturation vapour pressure in 0.1 Pa, temperature in 0.01 K."""
    step, rest = divmod(temperature - 23315, 1000)
    step = min(max(step, 0), len(SATURATION) - 2)
    low, high = SATURATION[step:step + 2]
    return low + (high - low) * rest // 1000


def fixed(value: int, decimals: int) -> str:
    """An integer in units of 10**-decimals, written as a decimal number."""
    sign = "-" if value < 0 else ""
    whole, part = divmod(abs(value), 10**decimals)
    return f"{sign}{whole}.{part:0{decimals}d}"


def rows() -> Iterator[list[str]]:
    noise = Noise(20240229)
    front = swing = 0                              # regional pressure, 0.001 Pa
    air = 0                                        # regional temperature, 0.0001 K
    moisture = 0                                   # per mille of saturation, * 1000
    for hour in range(HOURS):
        swing += noise.bell(9000) - swing // 20 - front // 900
        front += swing
        air += noise.bell(1800) - air // 90
        moisture += noise.bell(4000) - moisture // 60

        pressure, temperature, vapour = [], [], []
        for height, inland in zip(HEIGHT_M, INLAND):
            season = wave(hour - 2600, YEAR, 700 + 60 * inland)
            daytime = wave(hour - 8, DAY, 150 + 45 * inland)
            t = (28360 + season + daytime + air // 100 - 65 * height // 100
                 - front // 30000 * inland // 4 + noise.bell(6))
            p = (1013250 + front // 100 - height * 120 + height * height // 170
                 + wave(hour - 10, DAY // 2, 600) + (t - 28360) * height // 900
                 + noise.bell(30))
            share = 710 - 12 * inland + moisture // 1000 - daytime // 6 + noise.bell(5)
            e = saturation_pressure(t) * min(max(share, 150), 1000) // 1000
            temperature.append(fixed(t, 2))
            pressure.append(fixed(p, 1))
            vapour.append(fixed(e, 1))
        yield pressure + temperature + vapour


def main() -> None:
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stations.csv")
    path = sys.argv[1] if len(sys.argv) > 1 else default
    names = [f"{quantity}_{station}"
             for quantity in ("pressure_Pa", "temperature_K", "vapour_Pa")
             for station in range(1, STATIONS + 1)]
    lines = [",".join(names)] + [",".join(row) for row in rows()]
    content = "".join(line + "\n" for line in lines).encode("ascii")
    if hashlib.sha256(content).hexdigest() != SHA256:
        sys.exit("make_stations.py: the table came out different from the one expected")
    with open(path, "wb") as table:
        table.write(content)


if __name__ == "__main__":
    main()
