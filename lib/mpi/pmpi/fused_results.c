#include "mpi/pmpi/fused.h"

#include <pthread.h>
#include <string.h>

typedef struct {
    unsigned char value[sizeof(double)];
    size_t size; /* of the value; 0: nothing is kept here */
    exblas_acc exact;
} result;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static result kept[EXB_KEPT_RESULTS]; /* guarded by lock, as what follows */
static int next;

/* The place of these bits; NULL if there is none. */
static result *place_of(const void *value, size_t size)
{
    for (int i = 0; i < EXB_KEPT_RESULTS; i++)
        if (kept[i].size == size && memcmp(kept[i].value, value, size) == 0)
            return &kept[i];
    return NULL;
}

void exb_fused_remember(const void *value, size_t size, const exblas_acc *exact)
{
    pthread_mutex_lock(&lock);
    result *place = place_of(value, size);
    if (!place) {
        place = &kept[next];
        next = (next + 1) % EXB_KEPT_RESULTS;
    }
    memcpy(place->value, value, size);
    place->size = size;
    place->exact = *exact;
    pthread_mutex_unlock(&lock);
}

bool exb_fused_find(const void *value, size_t size, exblas_acc *exact)
{
    pthread_mutex_lock(&lock);
    const result *place = place_of(value, size);
    if (place)
        *exact = place->exact;
    pthread_mutex_unlock(&lock);
    return place;
}
