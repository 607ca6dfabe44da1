/* encrypted_files.cc - RocksDB's files, encrypted on their way to the file system and back.
 *
 * RocksDB has such a file system too. This one differs where a database must not lose its way: a
 * file whose header a loss of power took is empty, where RocksDB's runs into an assertion; nothing
 * is ever written twice under one key stream; the log of diagnostics does not go past it; an append
 * allocates nothing.
 *
 * Files derive from RocksDB's plain interfaces and not from its wrappers: a way to read that a
 * later version adds then comes as a call of Read, and never as bytes that nobody decrypted.
 *
 * Zeros that nobody wrote must stay zeros, as they are in a plain file: a loss of power leaves
 * holes where a log was not synced, and RocksDB knows zeros for its end. Decrypted they would be
 * noise, some of which RocksDB 9 reads forever: the type of a recycled record in a log that is not.
 * Invariants: offsets of RocksDB are from the header's end. Memory: a file owns its key and the
 * file below it. Threads: as RocksDB's files; reading one file happens on many. */
#include "store/rocksdb/encrypted_files.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr size_t kHeader = FILE_HEADER_BYTES;
constexpr size_t kAppendMax = 1 << 20; /* what is encrypted at a time */

using Header = std::array<uint8_t, kHeader>;

struct Cipher {
    const struct file_cipher_calls *calls;
    struct file_cipher *cipher;
};

/* A file's key; without one the file is empty. */
class Key {
  public:
    Key(const Cipher &cipher, struct ctr *key) : calls_(cipher.calls), key_(key) {
    }
    ~Key() {
        if (key_ != nullptr)
            calls_->release(key_);
    }
    Key(const Key &) = delete;
    Key &operator=(const Key &) = delete;

    void Apply(uint64_t offset, const void *from, void *to, size_t len) const {
        if (key_ != nullptr && len > 0)
            calls_->apply(key_, offset, from, to, len);
    }
    bool Empty() const {
        return key_ == nullptr;
    }

  private:
    const struct file_cipher_calls *calls_;
    struct ctr *key_;
};

uint64_t WithoutHeader(uint64_t size) {
    return size < kHeader ? 0 : size - kHeader;
}

/* What was read, decrypted, in `scratch` wherever it was. */
void Decrypt(const Key &key, uint64_t offset, Slice *result, char *scratch) {
    key.Apply(offset, result->data(), scratch, result->size());
    *result = Slice(scratch, result->size());
}

constexpr size_t kBlock = 16;

bool IsHole(const char *block) {
    static const char zeros[kBlock] = {0};
    return std::equal(block, block + kBlock, zeros);
}

/* In place; the blocks of the cipher that are zeros are left as they are. Encrypted data has such a
 * block once in 2^128. */
void DecryptAroundHoles(const Key &key, uint64_t offset, char *data, size_t len) {
    size_t from = 0;
    for (size_t at = (kBlock - offset % kBlock) % kBlock; at + kBlock <= len; at += kBlock) {
        if (!IsHole(data + at))
            continue;
        key.Apply(offset + from, data + from, data + from, at - from);
        from = at + kBlock;
    }
    key.Apply(offset + from, data + from, data + from, len - from);
}

class SequentialFile : public rocksdb::FSSequentialFile {
  public:
    SequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file, std::unique_ptr<Key> key)
        : file_(std::move(file)), key_(std::move(key)) {
    }

    IOStatus Read(size_t n, const IOOptions &options, Slice *result, char *scratch,
                  IODebugContext *dbg) override {
        if (key_->Empty()) {
            *result = Slice(scratch, 0);
            return IOStatus::OK();
        }
        IOStatus status = file_->Read(n, options, result, scratch, dbg);
        if (status.ok()) {
            if (result->data() != scratch)
                std::copy(result->data(), result->data() + result->size(), scratch);
            *result = Slice(scratch, result->size());
            DecryptAroundHoles(*key_, offset_, scratch, result->size());
            offset_ += result->size();
        }
        return status;
    }
    IOStatus Skip(uint64_t n) override {
        IOStatus status = file_->Skip(n);
        offset_ += n;
        return status;
    }
    IOStatus InvalidateCache(size_t offset, size_t length) override {
        return file_->InvalidateCache(offset + kHeader, length);
    }

  private:
    std::unique_ptr<rocksdb::FSSequentialFile> file_;
    std::unique_ptr<Key> key_;
    uint64_t offset_ = 0;
};

class RandomAccessFile : public rocksdb::FSRandomAccessFile {
  public:
    RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, std::unique_ptr<Key> key)
        : file_(std::move(file)), key_(std::move(key)) {
    }

    IOStatus Read(uint64_t offset, size_t n, const IOOptions &options, Slice *result, char *scratch,
                  IODebugContext *dbg) const override {
        if (key_->Empty()) {
            *result = Slice(scratch, 0);
            return IOStatus::OK();
        }
        IOStatus status = file_->Read(offset + kHeader, n, options, result, scratch, dbg);
        if (status.ok())
            Decrypt(*key_, offset, result, scratch);
        return status;
    }
    IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions &options,
                      IODebugContext *dbg) override {
        return file_->Prefetch(offset + kHeader, n, options, dbg);
    }
    size_t GetUniqueId(char *id, size_t max_size) const override {
        return file_->GetUniqueId(id, max_size);
    }
    void Hint(AccessPattern pattern) override {
        file_->Hint(pattern);
    }
    IOStatus InvalidateCache(size_t offset, size_t length) override {
        return file_->InvalidateCache(offset + kHeader, length);
    }

  private:
    std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
    std::unique_ptr<Key> key_;
};

class WritableFile : public rocksdb::FSWritableFile {
  public:
    WritableFile(rocksdb::FileSystem *files, const std::string &name,
                 std::unique_ptr<rocksdb::FSWritableFile> file, std::unique_ptr<Key> key)
        : files_(files), name_(name), file_(std::move(file)), key_(std::move(key)) {
    }
    ~WritableFile() override {
        WritableFile::Close(IOOptions(), nullptr).PermitUncheckedError();
    }

    using rocksdb::FSWritableFile::Append;
    /* After a failure nobody knows how much of it is in the file; whatever was written there next
     * could lie over it, under the same key stream. */
    IOStatus Append(const Slice &data, const IOOptions &options, IODebugContext *dbg) override {
        if (ended_)
            return IOStatus::IOError("nothing is written to an encrypted file after an error");
        for (size_t at = 0; at < data.size();) {
            size_t len = std::min(data.size() - at, kAppendMax);
            if (buffer_.size() < len)
                buffer_.resize(len);
            key_->Apply(offset_, data.data() + at, buffer_.data(), len);
            IOStatus status = file_->Append(Slice(buffer_.data(), len), options, dbg);
            ended_ = !status.ok();
            if (ended_)
                return status;
            offset_ += len;
            at += len;
        }
        return IOStatus::OK();
    }
    IOStatus Truncate(uint64_t size, const IOOptions &options, IODebugContext *dbg) override {
        ended_ = ended_ || size < offset_;
        return file_->Truncate(size + kHeader, options, dbg);
    }
    /* The file below gives itself the size that it thinks it has, and fills a log that wal.c has
     * cut with zeros up to that. What was cut stays cut. */
    IOStatus Close(const IOOptions &options, IODebugContext *dbg) override {
        uint64_t size = 0;
        if (closed_)
            return IOStatus::OK();
        closed_ = ended_ = true;
        bool cut = files_->GetFileSize(name_, options, &size, dbg).ok() && size < kHeader + offset_;
        IOStatus status = file_->Close(options, dbg);
        if (cut)
            (void)!truncate(name_.c_str(), static_cast<off_t>(size)); /* RocksDB has none for it */
        return status;
    }
    IOStatus Flush(const IOOptions &options, IODebugContext *dbg) override {
        return file_->Flush(options, dbg);
    }
    IOStatus Sync(const IOOptions &options, IODebugContext *dbg) override {
        return file_->Sync(options, dbg);
    }
    IOStatus Fsync(const IOOptions &options, IODebugContext *dbg) override {
        return file_->Fsync(options, dbg);
    }
    bool IsSyncThreadSafe() const override {
        return file_->IsSyncThreadSafe();
    }
    void SetWriteLifeTimeHint(rocksdb::Env::WriteLifeTimeHint hint) override {
        file_->SetWriteLifeTimeHint(hint);
    }
    rocksdb::Env::WriteLifeTimeHint GetWriteLifeTimeHint() override {
        return file_->GetWriteLifeTimeHint();
    }
    void SetIOPriority(rocksdb::Env::IOPriority priority) override {
        file_->SetIOPriority(priority);
    }
    rocksdb::Env::IOPriority GetIOPriority() override {
        return file_->GetIOPriority();
    }
    uint64_t GetFileSize(const IOOptions &options, IODebugContext *dbg) override {
        return WithoutHeader(file_->GetFileSize(options, dbg));
    }
    void SetPreallocationBlockSize(size_t size) override {
        file_->SetPreallocationBlockSize(size);
    }
    void GetPreallocationStatus(size_t *block_size, size_t *last_allocated_block) override {
        file_->GetPreallocationStatus(block_size, last_allocated_block);
    }
    void PrepareWrite(size_t offset, size_t len, const IOOptions &options,
                      IODebugContext *dbg) override {
        file_->PrepareWrite(offset + kHeader, len, options, dbg);
    }
    IOStatus Allocate(uint64_t offset, uint64_t len, const IOOptions &options,
                      IODebugContext *dbg) override {
        return file_->Allocate(offset + kHeader, len, options, dbg);
    }
    IOStatus RangeSync(uint64_t offset, uint64_t nbytes, const IOOptions &options,
                       IODebugContext *dbg) override {
        return file_->RangeSync(offset + kHeader, nbytes, options, dbg);
    }
    size_t GetUniqueId(char *id, size_t max_size) const override {
        return file_->GetUniqueId(id, max_size);
    }
    IOStatus InvalidateCache(size_t offset, size_t length) override {
        return file_->InvalidateCache(offset + kHeader, length);
    }

  private:
    rocksdb::FileSystem *files_; /* below */
    std::string name_;
    std::unique_ptr<rocksdb::FSWritableFile> file_;
    std::unique_ptr<Key> key_;
    std::vector<char> buffer_;
    uint64_t offset_ = 0;
    bool ended_ = false; /* nothing may be appended any more */
    bool closed_ = false;
};

/* RocksDB insists on one, and would write what it does with which keys to a file. */
class NoLogger : public rocksdb::Logger {
  public:
    using rocksdb::Logger::Logv;
    void Logv(const char *, va_list) override {
    }
};

class FileSystem : public rocksdb::FileSystemWrapper {
  public:
    FileSystem(const std::shared_ptr<rocksdb::FileSystem> &target, const Cipher &cipher)
        : rocksdb::FileSystemWrapper(target), cipher_(cipher) {
    }

    const char *Name() const override {
        return "gramme.EncryptedFiles";
    }

    IOStatus NewSequentialFile(const std::string &name, const FileOptions &options,
                               std::unique_ptr<rocksdb::FSSequentialFile> *result,
                               IODebugContext *dbg) override {
        std::unique_ptr<rocksdb::FSSequentialFile> file;
        std::unique_ptr<Key> key;
        Header header;
        size_t len = 0;
        IOStatus status = target_->NewSequentialFile(name, options, &file, dbg);
        while (status.ok() && len < kHeader) {
            Slice part;
            char *at = reinterpret_cast<char *>(header.data()) + len;
            status = file->Read(kHeader - len, options.io_options, &part, at, dbg);
            if (part.size() == 0)
                break;
            std::copy(part.data(), part.data() + part.size(), at);
            len += part.size();
        }
        if (status.ok())
            status = OpenKey(name, header, len, &key);
        if (status.ok())
            *result = std::make_unique<SequentialFile>(std::move(file), std::move(key));
        return status;
    }

    IOStatus NewRandomAccessFile(const std::string &name, const FileOptions &options,
                                 std::unique_ptr<rocksdb::FSRandomAccessFile> *result,
                                 IODebugContext *dbg) override {
        std::unique_ptr<rocksdb::FSRandomAccessFile> file;
        std::unique_ptr<Key> key;
        Header header;
        Slice found;
        char *scratch = reinterpret_cast<char *>(header.data());
        IOStatus status = target_->NewRandomAccessFile(name, options, &file, dbg);
        if (status.ok())
            status = file->Read(0, kHeader, options.io_options, &found, scratch, dbg);
        if (status.ok()) {
            std::copy(found.data(), found.data() + found.size(), scratch);
            status = OpenKey(name, header, found.size(), &key);
        }
        if (status.ok())
            *result = std::make_unique<RandomAccessFile>(std::move(file), std::move(key));
        return status;
    }

    IOStatus NewWritableFile(const std::string &name, const FileOptions &options,
                             std::unique_ptr<rocksdb::FSWritableFile> *result,
                             IODebugContext *dbg) override {
        std::unique_ptr<rocksdb::FSWritableFile> file;
        IOStatus status = target_->NewWritableFile(name, options, &file, dbg);
        if (!status.ok())
            return status;
        Header header;
        auto key =
            std::make_unique<Key>(cipher_, cipher_.calls->create(cipher_.cipher, header.data()));
        const char *bytes = reinterpret_cast<const char *>(header.data());
        status = file->Append(Slice(bytes, kHeader), options.io_options, dbg);
        if (status.ok())
            *result = std::make_unique<WritableFile>(target_.get(), name, std::move(file),
                                                     std::move(key));
        return status;
    }

    /* A file that is used again gets a new key, and is not appended to. */
    IOStatus ReuseWritableFile(const std::string &name, const std::string &old_name,
                               const FileOptions &options,
                               std::unique_ptr<rocksdb::FSWritableFile> *result,
                               IODebugContext *dbg) override {
        IOStatus status = target_->RenameFile(old_name, name, options.io_options, dbg);
        return status.ok() ? NewWritableFile(name, options, result, dbg) : status;
    }
    IOStatus ReopenWritableFile(const std::string &, const FileOptions &,
                                std::unique_ptr<rocksdb::FSWritableFile> *,
                                IODebugContext *) override {
        return IOStatus::NotSupported("an encrypted file is written once");
    }
    IOStatus NewRandomRWFile(const std::string &, const FileOptions &,
                             std::unique_ptr<rocksdb::FSRandomRWFile> *,
                             IODebugContext *) override {
        return IOStatus::NotSupported("an encrypted file is written once");
    }
    IOStatus
    NewMemoryMappedFileBuffer(const std::string &,
                              std::unique_ptr<rocksdb::MemoryMappedFileBuffer> *) override {
        return IOStatus::NotSupported("an encrypted file cannot be mapped");
    }
    IOStatus NewLogger(const std::string &, const IOOptions &,
                       std::shared_ptr<rocksdb::Logger> *result, IODebugContext *) override {
        *result = std::make_shared<NoLogger>();
        return IOStatus::OK();
    }

    IOStatus Truncate(const std::string &name, size_t size, const IOOptions &options,
                      IODebugContext *dbg) override {
        return target_->Truncate(name, size + kHeader, options, dbg);
    }
    IOStatus GetFileSize(const std::string &name, const IOOptions &options, uint64_t *size,
                         IODebugContext *dbg) override {
        IOStatus status = target_->GetFileSize(name, options, size, dbg);
        if (status.ok())
            *size = WithoutHeader(*size);
        return status;
    }
    IOStatus GetChildrenFileAttributes(const std::string &directory, const IOOptions &options,
                                       std::vector<rocksdb::Env::FileAttributes> *result,
                                       IODebugContext *dbg) override {
        IOStatus status = target_->GetChildrenFileAttributes(directory, options, result, dbg);
        if (status.ok())
            for (auto &file : *result)
                file.size_bytes = WithoutHeader(file.size_bytes);
        return status;
    }

  private:
    IOStatus OpenKey(const std::string &name, const Header &header, size_t len,
                     std::unique_ptr<Key> *result) {
        struct ctr *key = nullptr;
        if (cipher_.calls->open(cipher_.cipher, header.data(), len, &key) == FILE_FOREIGN)
            return IOStatus::Corruption("not encrypted by the key of this directory", name);
        *result = std::make_unique<Key>(cipher_, key);
        return IOStatus::OK();
    }

    Cipher cipher_;
};

/* The beginning of RocksDB's own struct, which its header does not tell. */
struct EnvHandle {
    rocksdb::Env *env;
};

} // namespace

/* A handle of the default environment is not the owner of what is in it, so another can be put
 * there; that it is what it was taken for is checked. */
rocksdb_env_t *encrypted_files_new(const struct file_cipher_calls *calls,
                                   struct file_cipher *cipher) {
    rocksdb_env_t *handle = rocksdb_create_default_env();
    EnvHandle *inside = reinterpret_cast<EnvHandle *>(handle);
    if (inside->env != rocksdb::Env::Default()) {
        rocksdb_env_destroy(handle);
        return nullptr;
    }
    auto files =
        std::make_shared<FileSystem>(rocksdb::FileSystem::Default(), Cipher{calls, cipher});
    inside->env = rocksdb::NewCompositeEnv(files).release();
    return handle;
}

void encrypted_files_free(rocksdb_env_t *handle) {
    delete reinterpret_cast<EnvHandle *>(handle)->env;
    rocksdb_env_destroy(handle);
}
