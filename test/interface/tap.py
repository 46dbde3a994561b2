"""Reports in TAP."""
number = n_failed = 0


def report(title, faults):
    global number, n_failed
    number += 1
    n_failed += bool(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {title}")
    for fault in faults:
        print(f"# {fault}")
